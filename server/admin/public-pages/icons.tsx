/** @jsxImportSource hono/jsx */
// Outline icons at 16 px, drawn with the console's stroke.
const PATHS = {
  search: 'M3 10a7 7 0 1 0 14 0 7 7 0 1 0-14 0M21 21l-6-6',
  sun: 'M8 12a4 4 0 1 0 8 0 4 4 0 1 0-8 0M3 12h1m8-9v1m8 8h1m-9 8v1M5.6 5.6l.7.7m12.1-.7-.7.7m0 11.4.7.7m-12.1-.7-.7.7',
  moon: 'M12 3h.4a7.5 7.5 0 0 0 7.9 12.4A9 9 0 1 1 12 3z',
  screen: 'M3 5a1 1 0 0 1 1-1h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1zM7 20h10M9 16v4m6-4v4',
  check: 'M5 12l5 5L20 7',
  menu: 'M4 6h16M4 12h16M4 18h16',
  close: 'M18 6 6 18M6 6l12 12',
  copy: 'M8 10a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-8a2 2 0 0 1-2-2zM16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2',
  arrow: 'M5 12h14M13 18l6-6M13 6l6 6',
  back: 'M19 12H5M11 18l-6-6M11 6l-6 6',
  compare: 'M21 17H3M6 10 3 7l3-3M3 7h18M18 20l3-3-3-3',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

const STATES = {
  good: 'M12 2a10 10 0 1 1 0 20 10 10 0 0 1 0-20zm3.7 7.3a1 1 0 0 0-1.4 0L11 12.6l-1.3-1.3a1 1 0 0 0-1.4 1.4l2 2a1 1 0 0 0 1.4 0l4-4a1 1 0 0 0 0-1.4z',
  bad: 'M12 2a2 2 0 0 1 1.7 1l8.6 14.5A2 2 0 0 1 20.6 20.5H3.4a2 2 0 0 1-1.7-3L10.3 3A2 2 0 0 1 12 2zm0 6a1 1 0 0 0-1 1v4a1 1 0 0 0 2 0V9a1 1 0 0 0-1-1zm0 7.5a1.1 1.1 0 1 0 0 2.2 1.1 1.1 0 0 0 0-2.2z',
} as const;

/** The state of a thing: a filled icon; the word stands beside it. */
export function StateIcon({
  state,
  tone,
}: {
  state: keyof typeof STATES;
  tone: 'success' | 'warning' | 'danger';
}) {
  return (
    <svg
      class={`icon state-${tone}`}
      viewBox="0 0 24 24"
      width="14"
      height="14"
      fill="currentColor"
      aria-hidden="true"
    >
      <path d={STATES[state]} />
    </svg>
  );
}
