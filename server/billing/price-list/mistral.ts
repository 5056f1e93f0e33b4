// Mistral. Its snapshots carry a month (`-2512`), which is no date the lookup takes off, so they stand here.
import { byToken, type Group } from './price.ts';

const largeThree = { input: 0.5, output: 1.5 };
const mediumThreeFive = { input: 1.5, output: 7.5 };
const mediumThree = { input: 0.4, output: 2 };

export const mistral: readonly Group[] = [
  byToken(
    { kind: 'chat', context: 262_144, maxOutput: 262_144 },
    {
      'mistral-large-latest': largeThree,
      'mistral-large-3': largeThree,
      'mistral-large-2512': largeThree,
      'mistral-medium-latest': mediumThreeFive,
      'mistral-medium-3-5': mediumThreeFive,
      'mistral-medium-2604': mediumThreeFive,
      'ministral-3-14b-2512': { input: 0.2, output: 0.2 },
      'ministral-3-8b-2512': { input: 0.15, output: 0.15 },
      'ministral-8b-latest': { input: 0.15, output: 0.15 },
    },
  ),
  byToken(
    { kind: 'chat', context: 256_000, maxOutput: 256_000 },
    {
      'devstral-latest': { input: 0.4, output: 2 },
      'devstral-2512': { input: 0.4, output: 2 },
      'devstral-medium-latest': { input: 0.4, output: 2 },
      'devstral-small-latest': { input: 0.1, output: 0.3 },
      'codestral-latest': { input: 0.3, output: 0.9 },
      'codestral-2508': { input: 0.3, output: 0.9 },
    },
  ),
  byToken(
    { kind: 'chat', context: 131_072, maxOutput: 131_072 },
    {
      'mistral-medium-2508': mediumThree,
      'mistral-medium-2505': mediumThree,
      'mistral-small-latest': { input: 0.06, output: 0.18 },
      'mistral-small-3-2-2506': { input: 0.06, output: 0.18 },
      'ministral-3-3b-2512': { input: 0.1, output: 0.1 },
    },
  ),
  byToken(
    { kind: 'chat', context: 128_000, maxOutput: 128_000 },
    {
      'mistral-large-2411': { input: 2, output: 6 },
      'mistral-large-2407': { input: 3, output: 9 },
      'pixtral-large-latest': { input: 2, output: 6 },
      'pixtral-12b-2409': { input: 0.15, output: 0.15 },
      'open-mistral-nemo': { input: 0.3, output: 0.3 },
      'devstral-medium-2507': { input: 0.4, output: 2 },
      'devstral-small-2507': { input: 0.1, output: 0.3 },
    },
  ),
  byToken(
    { kind: 'chat', context: 40_000, maxOutput: 40_000 },
    {
      'magistral-medium-latest': { input: 2, output: 5 },
      'magistral-medium-2509': { input: 2, output: 5 },
      'magistral-small-latest': { input: 0.5, output: 1.5 },
    },
  ),
  byToken(
    { kind: 'chat', context: 65_336, maxOutput: 8191 },
    { 'open-mixtral-8x22b': { input: 2, output: 6 } },
  ),
  byToken(
    { kind: 'chat', context: 32_000, maxOutput: 8191 },
    { 'open-mixtral-8x7b': { input: 0.7, output: 0.7 }, 'open-mistral-7b': { input: 0.25, output: 0.25 } },
  ),
  byToken(
    { kind: 'embedding', context: 8192 },
    { 'mistral-embed': { input: 0.1 }, 'codestral-embed': { input: 0.15 } },
  ),
];
