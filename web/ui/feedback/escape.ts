/**
 * Esc closes only the innermost thing. Dropdowns and dialogs remove themselves while the key is handled, so a drawer that looks
 * for them afterwards would close too. This listener is the first of the window and remembers what was open before.
 */
import { openDialog } from './dialog-store.ts';

const ABOVE_DRAWERS = [
  '[role="dialog"][aria-modal="true"]:not([data-drawer])',
  // Dropdowns of the kit: menu, popover, select, calendar.
  '[data-position][class*="-dropdown"]',
].join(', ');

const NOTHING = { layer: false, question: false };
let above = NOTHING;

globalThis.window?.addEventListener(
  'keydown',
  (event) => {
    if (event.key !== 'Escape') return;
    above = {
      layer: [...document.querySelectorAll(ABOVE_DRAWERS)].some((element) => element.checkVisibility()),
      question: openDialog() !== undefined,
    };
    // The handlers of this key run before the timer; later clicks on a close button must not see its state.
    setTimeout(() => {
      above = NOTHING;
    });
  },
  true,
);

/** For a drawer: a dialog or a dropdown was open when Esc was pressed. */
export function wasLayerAbove(): boolean {
  return above.layer;
}

/** For a dialog: a question of the dialog store was open above it when Esc was pressed. */
export function wasQuestionAbove(): boolean {
  return above.question;
}
