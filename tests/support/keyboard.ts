// A visitor without a pointer: moves with Tab, as far as a person would, and must see where the focus is.
import type { Locator, Page } from 'playwright-core';

const MOST_TABS = 120;

/**
 * Nothing when the focus can be seen. A ring may be drawn by the element, by the box around a hidden input, or by the
 * first cell of a row.
 */
const UNSEEN_FOCUS = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body || element.tagName === 'MAIN') return '';
  const shows = (part) => {
    if (!part) return false;
    const style = getComputedStyle(part);
    return style.outlineStyle !== 'none' || style.boxShadow !== 'none';
  };
  const isField = element.matches('input, textarea, [contenteditable]');
  const parts = [element, element.nextElementSibling, element.parentElement, element.parentElement?.parentElement, element.querySelector('td')];
  const handle = getComputedStyle(element, '::after').backgroundColor;
  if (parts.some(shows) || (element.matches('[role=separator]') && handle) || (isField && element.type === 'hidden')) return '';
  return element.outerHTML.slice(0, 200);
})()`;

export class Keyboard {
  /** Elements that had the focus without showing it. */
  readonly unseen = new Set<string>();

  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Presses Tab until the target has the focus. */
  async to(target: Locator): Promise<void> {
    const focused = target.and(this.page.locator(':focus'));
    await target.first().waitFor({ state: 'attached' });
    for (let presses = 0; presses < MOST_TABS; presses += 1) {
      if ((await focused.count()) > 0) return;
      await this.page.keyboard.press('Tab');
      const unseen = await this.page.evaluate<string>(UNSEEN_FOCUS);
      if (unseen) this.unseen.add(unseen);
    }
    throw new Error(`${MOST_TABS} times Tab did not reach ${String(target)}`);
  }

  async type(target: Locator, text: string): Promise<void> {
    await this.to(target);
    await this.page.keyboard.press('Control+a');
    await this.page.keyboard.type(text);
  }

  async press(target: Locator, key = 'Enter'): Promise<void> {
    await this.to(target);
    await this.page.keyboard.press(key);
  }
}
