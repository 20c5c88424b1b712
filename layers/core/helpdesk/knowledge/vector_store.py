"""Vectors of documents that are being indexed, in S3: what a worker made before it was stopped.

They lie under a prefix of their own, from which a lifecycle rule removes what nobody came back for.
"""

from io import BytesIO

import numpy as np

from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from helpdesk.search.embeddings.embedder import Vectors

PREFIX = "unfinished/"


class UnfinishedVectors:
    """The saved vectors of one version of a document, by the number of the first one."""

    def __init__(self, organization: str, document_id: str, revision: str, kind: str) -> None:
        self._folder = f"{PREFIX}{organization}/{document_id}/{revision}/{kind}/"
        self._keys: list[str] = []

    def load(self, start: int) -> Vectors | None:
        """Return vectors that were saved; None if there are none. One call."""
        s3 = clients.s3()
        try:
            stored = s3.get_object(Bucket=settings().knowledge_bucket, Key=self._key(start))
        except s3.exceptions.NoSuchKey:
            return None
        self._keys.append(self._key(start))
        found: Vectors = np.load(BytesIO(stored["Body"].read()), allow_pickle=False)
        return found

    def save(self, start: int, vectors: Vectors) -> None:
        """Save vectors. One call."""
        body = BytesIO()
        np.save(body, vectors)
        clients.s3().put_object(
            Bucket=settings().knowledge_bucket, Key=self._key(start), Body=body.getvalue()
        )
        self._keys.append(self._key(start))

    def remove(self) -> None:
        """Remove what was saved or loaded. One call; none for a document that was not saved."""
        if self._keys:
            clients.s3().delete_objects(
                Bucket=settings().knowledge_bucket,
                Delete={"Objects": [{"Key": key} for key in self._keys], "Quiet": True},
            )

    def _key(self, start: int) -> str:
        return f"{self._folder}{start:06d}.npy"
