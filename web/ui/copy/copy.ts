/** Puts text on the clipboard; where the browser refuses, a dialog lets the user copy it by hand. */
import { showManualCopy } from '#web/ui/feedback/dialog-store.ts';

/** True when the text is on the clipboard. The text itself is never printed in a toast. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    showManualCopy(text);
    return false;
  }
}
