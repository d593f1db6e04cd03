import subprocess
import sys


def test_signing_an_order_does_not_load_the_slow_key_library() -> None:
    code = (
        "import sys, pmtui.signing.orders, pmtui.signing.keystore, pmtui.signing.auth\n"
        "print('eth_account' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_the_slow_key_library_lets_no_answer_nest_deeper_than_before() -> None:
    code = (
        "import sys\n"
        "from pmtui.signing.keystore import decrypt_keystore, encrypt_keystore\n"
        "from pmtui.signing.secret import Secret\n"
        "before = sys.getrecursionlimit()\n"
        "key, words = Secret(b'\\x01' * 32), Secret.from_text('a long passphrase')\n"
        "assert decrypt_keystore(encrypt_keystore(key, words, work_factor=2), words) == key\n"
        "print('eth_account' in sys.modules, sys.getrecursionlimit() == before)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "True True"
