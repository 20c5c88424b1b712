// Sends the token that the app put behind the # on as a form, and takes it out of the address.
"use strict";
{
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  history.replaceState(null, "", location.pathname);
  const form = document.getElementById("return");
  if (token && form) {
    form.elements.token.value = token;
    form.submit();
  } else {
    document.getElementById("missing").hidden = false;
  }
}
