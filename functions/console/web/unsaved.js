// The question before what was typed and isn't saved is left.
import { useEffect, useRef } from "./vendor/htm-preact.js";
import { unsaved } from "./router.js";

const questions = new Map();
const ask = () => (unsaved.question = [...questions.values()].at(-1) ?? null);

// Asks it while a form holds something that isn't saved. Several forms can be shown at a time.
export const useUnsaved = (isDirty, question = "Leave without saving what you typed?") => {
  const form = useRef({}).current;
  useEffect(() => {
    if (!isDirty) return undefined;
    questions.set(form, question);
    ask();
    return () => {
      questions.delete(form);
      ask();
    };
  }, [isDirty]);
};
