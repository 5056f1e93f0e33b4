/** A vendor as an 18 px tile: two letters in a chart colour derived from the name. */
import classes from './vendor-mark.module.css';

const LETTERS: Record<string, string> = {
  OpenAI: 'OA',
  DeepSeek: 'DS',
  Alibaba: 'Qw',
  Moonshot: 'Ki',
  Google: 'Ge',
  xAI: 'xA',
  Midjourney: 'MJ',
};

function hueOf(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return (sum % 9) + 1;
}

export function VendorMark({ vendor }: { vendor: string }) {
  const letters = vendor === '' ? '·' : (LETTERS[vendor] ?? vendor.slice(0, 2));
  return (
    <span
      className={classes.mark}
      style={{ '--hue': vendor === '' ? 'var(--chart-10)' : `var(--chart-${hueOf(vendor)})` } as object}
      aria-hidden
    >
      {letters}
    </span>
  );
}
