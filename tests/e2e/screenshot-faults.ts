// What a program finds on a picture: text that is cut off or covered, small targets, words in the wrong language,
// accessibility violations.
import type { Page } from 'playwright-core';
import type { Language } from '#contract/language.ts';
import { accessibilityViolations, cutLabels, fitsWidth, hiddenControls } from '#tests/support/browser.ts';

/** Names of users, channels and models may be in any language. */
const FOREIGN =
  /林小满|陈伟|开发|评测|deepseek 官方|通过兑换码充值 ＄20\.000000 额度|默认分组|vip ?分组|晨雾中的五道横木栅门，长曝光|中文|中/g;

/**
 * Numbers and times that are cut off, other text that its box hides without an ellipsis, text under something else, and controls too small for a finger or a pointer. A
 * target that others surround needs 24 pixels; a link inside a sentence is exempt.
 */
const LAYOUT = `(() => {
  const found = new Set();
  const nameOf = (element) => {
    const text = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().replace(/\\s+/g, ' ').slice(0, 40);
    return element.tagName.toLowerCase() + ' "' + text + '"';
  };
  const isHidden = (element) => element.closest('[aria-hidden=true], [inert]') !== null ||
    !element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  /** Hidden for the eye, but read by screen readers. */
  const isForReaders = (element) => {
    for (let box = element; box; box = box.parentElement) {
      const { width, height } = box.getBoundingClientRect();
      if (width <= 1 && height <= 1) return true;
    }
    return false;
  };
  const dialog = [...document.querySelectorAll('[role=dialog][aria-modal=true], [role=menu]')].at(-1);
  const root = dialog ?? document.body;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || isHidden(element) || isForReaders(element)) continue;
    if (element.closest('svg, script, style, textarea, a[href="#main"], .mantine-Tooltip-tooltip')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const text = range.getBoundingClientRect();
    let isScrolledAway = false;
    for (let box = element; box && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      const rect = box.getBoundingClientRect();
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
      const isBeside = text.right > rect.right + 2 || text.left < rect.left - 2;
      const isBelow = text.bottom > rect.bottom + 3 || text.top < rect.top - 3;
      if (isBeside && style.overflowX === 'hidden' && style.textOverflow !== 'ellipsis' && !box.hasAttribute('data-drops'))
        found.add('cut off: ' + nameOf(element));
      if (isBeside && style.textOverflow === 'ellipsis' && /^[\\d\\s:.,$¥%+−–-]+$/.test(node.textContent))
        found.add('number cut: ' + nameOf(element));
      if (isBeside && style.textOverflow === 'ellipsis' && element.closest('thead th')) found.add('head cut: ' + nameOf(element));
      if (isBelow && style.overflowY === 'hidden' && style.webkitLineClamp === 'none' && !box.hasAttribute('data-drops'))
        found.add('cut off below: ' + nameOf(element));
      if (isBeside || isBelow) { isScrolledAway = true; break; }
    }
    if (isScrolledAway) continue;
    const x = text.left + text.width / 2, y = text.top + text.height / 2;
    if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) continue;
    const top = document.elementFromPoint(x, y);
    if (!top || top.contains(element) || element.contains(top) || getComputedStyle(element).pointerEvents === 'none') continue;
    if (top.matches('button') && top.parentElement?.contains(element)) continue;
    if (top.matches('input, textarea') || element.matches('label, legend, option')) continue;
    const fixed = top.closest('header, footer, nav, aside, th, [role=status], [role=alert], [role=dialog]');
    if (fixed && !fixed.contains(element)) continue;
    found.add('covered: ' + nameOf(element) + ' by ' + nameOf(top));
  }
  const controls = 'a[href], button, input, select, textarea, [role=button], [role=checkbox], [role=tab], [role=switch]';
  for (const control of root.querySelectorAll(controls)) {
    if (isHidden(control) || isForReaders(control) || control.disabled) continue;
    // Marks of a chart are as wide as their share of it.
    if (control.matches('a, button') && !control.textContent.trim() && !control.querySelector('svg, img')) continue;
    const style = getComputedStyle(control);
    if (style.display === 'inline' || style.position === 'fixed') continue;
    const area = (control.closest('label') ?? control).getBoundingClientRect();
    const after = getComputedStyle(control, '::after');
    const reach = after.content === 'none' ? 0 : Math.max(0, -Number.parseFloat(after.insetBlockStart) || 0);
    if (control.matches('input[type=checkbox], input[type=radio]')) continue;
    const height = area.height + 2 * reach;
    const least = innerWidth < 768 ? 24 : 18;
    if (height < least || area.width + 2 * reach < least)
      found.add('small target: ' + nameOf(control) + ' ' + Math.round(area.width) + 'x' + Math.round(height));
  }
  return [...found];
})()`;

export async function faultsOf(
  page: Page,
  { language, floating, quick }: { language: Language; floating: boolean; quick: boolean },
): Promise<string[]> {
  const list: string[] = [];
  if (!(await fitsWidth(page))) list.push('sticks out sideways');
  if (language === 'en') {
    const words = (await page.locator('body').innerText()).replaceAll(FOREIGN, '');
    const left = /[\u4e00-\u9fff].{0,20}/.exec(words)?.[0];
    if (left) list.push(`not translated: ${left}`);
  }
  list.push(...(await hiddenControls(page)).map((name) => `out of reach: ${name}`));
  list.push(...(await cutLabels(page)).map((name) => `label cut: ${name}`));
  list.push(...(await page.evaluate<string[]>(LAYOUT)));
  if (quick) return list;
  const violations = await accessibilityViolations(page, { floating });
  return [...list, ...violations.map((fault) => fault.slice(0, 300))];
}
