// Values that components follow: a cell holds one, and those who use it render again when another is set.
import { useEffect, useReducer } from "./vendor/htm-preact.js";

export const cell = (value) => {
  const followers = new Set();
  return {
    get value() {
      return value;
    },
    set value(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const follow of [...followers]) follow();
    },
    follow(react) {
      followers.add(react);
      return () => followers.delete(react);
    },
  };
};

export const useCell = (followed) => {
  const [, render] = useReducer((count) => count + 1, 0);
  const { value } = followed;
  useEffect(() => {
    if (!Object.is(followed.value, value)) render();
    return followed.follow(render);
  }, [followed]);
  return value;
};

// What one person chose in this browser, such as a draft. It is lost, and nothing breaks, where storage is off or full.
export const remembered = (name, fallback = null) => {
  try {
    const text = localStorage.getItem(`helpdesk:${name}`);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
};

export const remember = (name, value) => {
  try {
    if (value === null) localStorage.removeItem(`helpdesk:${name}`);
    else localStorage.setItem(`helpdesk:${name}`, JSON.stringify(value));
  } catch {
    // Storage is off or full.
  }
};

export const forgetAll = () => {
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith("helpdesk:")) localStorage.removeItem(name);
  } catch {
    // Storage is off.
  }
};
