/** The height of rows, kept in the browser; `theme.js` sets it before the first paint. */
export const DENSITIES = ['compact', 'default', 'comfortable'] as const;
export type Density = (typeof DENSITIES)[number];

const KEY = 'density';

export function readDensity(): Density {
  const stored = localStorage.getItem(KEY);
  return DENSITIES.find((density) => density === stored) ?? 'default';
}

export function chooseDensity(density: Density): void {
  if (density === 'default') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, density);
  document.documentElement.dataset.density = density;
}
