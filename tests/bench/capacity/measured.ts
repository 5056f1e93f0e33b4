// The figures that docs/guides/scale.md shows. `npm run bench -- --capacity --measure --keep` writes them anew.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Footprint } from './model.ts';

export interface Measured {
  date: string;
  machine: string;
  footprint: Footprint;
}

export const MEASURED_FILE = fileURLToPath(new URL('measured.json', import.meta.url));
export const MEASURED = JSON.parse(readFileSync(MEASURED_FILE, 'utf8')) as Measured;
