import subprocess
import sys


def test_signing_an_order_does_not_load_the_slow_key_library() -> None:
    code = (
        "import sys, pmtui.signing.order_verifying, pmtui.signing.keystore, pmtui.signing.l2_auth,"
        " pmtui.signing.clob_auth, pmtui.signing.ctf\n"
        "print('eth_account' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
