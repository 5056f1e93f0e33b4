// Small charts measured on the screen: bars in pixels against figures, on one scale, with an error of less than a pixel (the posts of
// hours: than two, because the gap between their parts is one).
import { expect } from 'bun:test';
import type { Locator } from 'playwright-core';
import { roundTop } from '#web/ui/thing/round-top.ts';

/** What is used of an element: the tests are compiled without the types of a browser. */
interface Drawn {
  clientHeight: number;
  children: Iterable<Drawn>;
  getAttribute(name: string): string | null;
  getBoundingClientRect(): { height: number; top: number; bottom: number };
  querySelector(selector: string): Drawn | null;
  querySelectorAll(selector: string): Iterable<Drawn>;
}

/** Of what is very little a pixel is drawn. */
const LEAST = 1;

/** Bars on a line, each `figure / top` of the plot. */
export async function expectBars(plot: Locator, figures: readonly number[], top: number): Promise<void> {
  const { height, bars } = await plot.evaluate((found) => {
    const element = found as unknown as Drawn;
    return {
      height: element.clientHeight,
      bars: [...element.children]
        .filter((bar) => !['end', 'near'].includes(bar.getAttribute('data-kind') ?? ''))
        .map((bar) => bar.getBoundingClientRect().height),
    };
  });
  expect(bars).toHaveLength(figures.length);
  for (const [at, figure] of figures.entries()) {
    const drawn = bars[at] ?? 0;
    const off = Math.abs(drawn - Math.max(LEAST, (figure / top) * height));
    expect({ at, figure, drawn, isToScale: off < 1 }).toEqual({ at, figure, drawn, isToScale: true });
  }
}

/** What is above zero stands on the line of zero, a loss hangs under it; nothing keeps its place with a stub. */
export async function expectSparkbars(chart: Locator, figures: readonly number[]): Promise<void> {
  const { height, bars } = await chart.evaluate((found) => {
    const element = found as unknown as Drawn;
    return {
      height: element.getBoundingClientRect().height,
      bars: [...element.querySelectorAll('rect')].map((bar) => ({
        from: Number(bar.getAttribute('y')),
        size: Number(bar.getAttribute('height')),
        fill: bar.getAttribute('fill'),
      })),
    };
  });
  expect(bars).toHaveLength(figures.length);
  const [top, bottom] = [Math.max(0, ...figures), Math.min(0, ...figures)];
  const range = Math.max(1, top - bottom);
  const line = (top / range) * height;
  for (const [at, figure] of figures.entries()) {
    const { from = 0, size = 0, fill } = bars[at] ?? {};
    const drawn = { at, figure, from, size, fill };
    const isToScale = Math.abs(size - Math.max(LEAST, (Math.abs(figure) / range) * height)) < 1;
    const stands = figure < 0 ? Math.abs(from - line) <= 1 : Math.abs(from + size - line) <= 1;
    expect({ ...drawn, isToScale, stands }).toEqual({ ...drawn, isToScale: true, stands: true });
    expect(fill === 'var(--danger-mark)').toBe(figure < 0);
    expect(fill === 'var(--bar-empty)').toBe(figure === 0);
  }
}

export async function expectHourPosts(
  list: Locator,
  posts: readonly { answered: number; failed: number }[],
): Promise<void> {
  const { height, drawn } = await list.evaluate((found) => {
    const element = found as unknown as Drawn;
    return {
      height: element.clientHeight,
      drawn: [...element.querySelectorAll('li')].map((post) => {
        const sizeOf = (part: string) =>
          post.querySelector(`[data-part=${part}]`)?.getBoundingClientRect().height ?? 0;
        const parts = [...post.querySelectorAll('i')].map((part) => part.getBoundingClientRect());
        return {
          answered: sizeOf('answered'),
          failed: sizeOf('failed'),
          whole: Math.max(...parts.map(({ bottom }) => bottom)) - Math.min(...parts.map(({ top }) => top)),
        };
      }),
    };
  });
  expect(drawn).toHaveLength(posts.length);
  const top = roundTop(Math.max(...posts.map(({ answered, failed }) => answered + failed)));
  for (const [at, { answered, failed }] of posts.entries()) {
    const post = drawn[at];
    if (answered + failed === 0) {
      expect([post?.answered, post?.failed]).toEqual([0, 0]);
      continue;
    }
    const isNear = (pixels: number, count: number) => Math.abs(pixels - (count / top) * height) < 2;
    const near = [
      isNear(post?.whole ?? 0, answered + failed),
      isNear(post?.answered ?? 0, answered),
      isNear(post?.failed ?? 0, failed),
    ];
    expect({ at, answered, failed, ...post, near }).toEqual({
      at,
      answered,
      failed,
      ...post,
      near: [true, true, true],
    } as never);
  }
}
