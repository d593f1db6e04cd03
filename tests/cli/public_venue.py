"""Names with which the local venue is taken for the public one."""

PASSPHRASE = "correct horse battery"
HOSTS = ("clob", "gamma", "data", "relayer", "ws_market", "ws_user", "rpc", "geoblock")
