"""Examples of live updates."""

from typing import Any

BODIES: dict[str, Any] = {
    "createLiveToken": {},
}
ANSWERS: dict[str, Any] = {
    "createLiveToken": {
        "url": "wss://a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com/prod",
        "token": "svc_live_01jd3k0q2s4v6x8z1b3d5f7h9k_Jq7Zt2Wm9Xc4Vb6Nn8Lk1Hg3Fd5Sa7Po9Iu2Yt4Re6W",
        "expiresAt": 1732270860000,
    },
}
