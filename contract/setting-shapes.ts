// The shapes of JSON settings that several places read.
import { z } from 'zod';
import type { CustomProblem } from './problem-words.ts';

const amount = z.number().min(0).max(1e9);
/** name → number ≥ 0; prototype keys cannot enter because zod builds a fresh record. */
export const ratios = z.record(z.string().min(1).max(255), amount);
/** What audio in the output costs is divided by this ratio: of a smaller one no ratio could be derived. */
const audioRatio = amount.refine(
  (ratio) => ratio === 0 || ratio >= 0.000001,
  'zero_or_millionth' satisfies CustomProblem,
);
export const audioRatios = z.record(z.string(), audioRatio);
export const priceUnits = z.record(z.string().min(1).max(255), z.enum(['call', 'second']));
/** model → resolution such as `1080p` → dollars. */
export const resolutionPrices = z.record(
  z.string().min(1).max(255),
  z.record(z.string().regex(/^\d{2,5}p$/), amount),
);
/** model, or `*` for all others → tokens of the largest answer and prompt; tokens a second: the most, and those that a silent one costs. */
const modelLimit = z.strictObject({
  answer: z.int().min(1).max(10_000_000).optional(),
  context: z.int().min(1).max(100_000_000).optional(),
  speed: z.int().min(1).max(100_000).optional(),
  hidden: z.int().min(0).max(100_000).optional(),
});
export type ModelLimit = z.infer<typeof modelLimit>;
export const modelLimits = z.record(z.string().min(1).max(255), modelLimit);
export const descriptions = z.record(z.string().min(1).max(64), z.string().max(200));
/** Refuses addresses that a browser would run as a script in our page; other schemes may open applications. */
export function opensNoScript(template: string): boolean {
  // Browsers skip control characters and spaces when they look for the scheme.
  const scheme = Array.from(template)
    .filter((character) => character > ' ')
    .join('');
  return !/^(?:javascript|data|vbscript|blob|file|about|view-source):/i.test(scheme);
}

const KEY_PLACEHOLDER = /\{(?:key|cherryConfig|deepchatConfig|aionuiConfig)\}/;

/**
 * Refuses a web page that would get the key in its path or query: those stay in the logs of the other site and of every proxy
 * on the way. What stands after the # never leaves the browser; a link of another scheme opens an application.
 */
export function keepsKeyInFragment(template: string): boolean {
  const [beforeFragment = ''] = template.split('#', 1);
  return !/^\s*https?:/i.test(template) || !KEY_PLACEHOLDER.test(beforeFragment);
}

/** Labels of letters, digits and inner hyphens; the last one has at least two characters. */
const MAIL_DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}]$/u;
/** A domain of mail addresses, such as `example.com`; it may be written in the letters of any language. */
export const mailDomain = z
  .string()
  .max(253)
  .refine((entry) => MAIL_DOMAIN.test(entry), 'mail_domain' satisfies CustomProblem);
/** `@X.com` as people paste it. */
export const tidyMailDomain = (entry: string): string => entry.replace(/^@(?=.)/, '').toLowerCase();

/** An http(s) address without a password: the password would be in every log line about it. */
export const webAddress = z
  .url({ protocol: /^https?$/ })
  .refine((value) => !/\/\/[^/?#]*@/.test(value), 'plain_address' satisfies CustomProblem);

/** `[{"Name": "https://…"}]`: one entry per object, in menu order. */
export const chatLinks = z.array(
  z
    .record(
      z.string().min(1).max(60),
      z
        .string()
        .max(2000)
        .refine(opensNoScript, 'script_link' satisfies CustomProblem)
        .refine(keepsKeyInFragment, 'key_before_fragment' satisfies CustomProblem),
    )
    .refine((entry) => Object.keys(entry).length === 1, 'one_name' satisfies CustomProblem),
);
