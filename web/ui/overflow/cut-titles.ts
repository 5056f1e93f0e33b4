/**
 * Text that is cut off with an ellipsis gets its whole text as a native tooltip when the pointer enters it. One listener
 * for all pages: whether a text is cut depends on the width of the window, which no component knows.
 */

/** Cells nest a few elements: a button, a mark beside a name. */
const DEPTH = 4;
const OWN = 'data-cut';

function isCut(element: Element): boolean {
  return element.scrollWidth > element.clientWidth && getComputedStyle(element).textOverflow === 'ellipsis';
}

/** The cut element around the target, if any. */
function cutElement(target: Element): Element | undefined {
  let element: Element | null = target;
  for (let depth = 0; element && depth < DEPTH; depth += 1, element = element.parentElement)
    if (isCut(element)) return element;
  return undefined;
}

function showCutTitle({ target }: Event): void {
  if (!(target instanceof Element)) return;
  const own = target.closest(`[${OWN}]`);
  const cut = cutElement(target);
  // A title of an earlier, longer text or a narrower window.
  if (own && own !== cut) {
    own.removeAttribute('title');
    own.removeAttribute(OWN);
  }
  if (!cut || (cut.closest('[title]') && !cut.hasAttribute(OWN))) return;
  const text = cut instanceof HTMLInputElement ? cut.value : cut.textContent.trim();
  if (cut instanceof HTMLInputElement && cut.type === 'password') return;
  cut.setAttribute('title', text);
  cut.setAttribute(OWN, '');
}

export function showCutTitles(): void {
  document.addEventListener('pointerover', showCutTitle, { passive: true });
}
