"""What all tests share: how many examples hypothesis tries."""

from hypothesis import settings

from tests.support import effort

# 100 is hypothesis's own figure; a test that names one takes it from `effort.of`.
settings.register_profile("helpdesk", max_examples=effort.of(100, 1000), deadline=None)
settings.load_profile("helpdesk")
