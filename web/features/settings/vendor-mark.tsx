/** The maker of a model as a monogram tile. */
import classes from './ratios.module.css';

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
  const hue = vendor === '' ? 'var(--chart-10)' : `var(--chart-${hueOf(vendor)})`;
  return (
    <span className={classes.mark} style={{ ['--hue' as string]: hue }} aria-hidden>
      {vendor === '' ? '·' : (LETTERS[vendor] ?? vendor.slice(0, 2))}
    </span>
  );
}
