// `npm run requirements`: proven, explained and open requirement ids per section.
//   --open   also prints every open line          --reasons   also prints every explained line with its reason
//   --json   prints the same as one JSON object
// Fails when a test title or a reason has an id that is in no checklist.
import { Glob } from 'bun';
import {
  readChecklist,
  readReasons,
  readTitles,
  report,
  unknownIds,
  unknownReasons,
} from './requirement-ids.ts';

const root = `${import.meta.dir}/..`;

async function readAll(pattern: string): Promise<{ file: string; source: string }[]> {
  const files = await Array.fromAsync(new Glob(pattern).scan({ cwd: root }));
  return Promise.all(
    files.sort().map(async (file) => ({ file, source: await Bun.file(`${root}/${file}`).text() })),
  );
}

const REASONS = 'docs/requirements/reasons.md';
const documents = await readAll('docs/requirements/*.md');
const tests = await readAll('{contract,server,web,tests}/**/*.test.{ts,tsx}');
const requirements = documents
  .filter(({ file }) => file !== REASONS)
  .flatMap(({ source }) => readChecklist(source));
const reasons = readReasons(documents.find(({ file }) => file === REASONS)?.source ?? '');
const titled = tests.flatMap(({ file, source }) => readTitles(file, source));
const unknown = unknownIds(requirements, titled);
const strays = unknownReasons(requirements, reasons);
const sections = report(requirements, titled, reasons);
const covered = sections.reduce((sum, section) => sum + section.covered.length, 0);
const explained = sections.reduce((sum, section) => sum + section.explained.length, 0);

if (process.argv.includes('--json')) {
  const ids = sections.map((section) => ({
    section: section.section,
    covered: section.covered.map((requirement) => requirement.id),
    explained: section.explained.map((requirement) => requirement.id),
    open: section.open.map((requirement) => requirement.id),
  }));
  console.log(JSON.stringify({ total: requirements.length, covered, explained, sections: ids, unknown }));
} else {
  for (const section of sections) {
    const total = section.covered.length + section.explained.length + section.open.length;
    const rest = section.explained.length > 0 ? `, ${section.explained.length} explained` : '';
    console.log(
      `${String(section.covered.length).padStart(4)} of ${String(total).padStart(3)}  ${section.section}${rest}`,
    );
    if (process.argv.includes('--open'))
      for (const requirement of section.open)
        console.log(`             ${requirement.id}  ${requirement.text}`);
    if (process.argv.includes('--reasons'))
      for (const requirement of section.explained)
        console.log(`             ${requirement.id}  ${reasons.get(requirement.id)}`);
  }
  const left = requirements.length - covered - explained;
  console.log(`${String(covered).padStart(4)} of ${requirements.length}  lines are proven by a test`);
  console.log(`${String(explained).padStart(4)} of ${requirements.length}  have a written reason instead`);
  console.log(`${String(left).padStart(4)} of ${requirements.length}  are open`);
}
for (const title of unknown)
  console.error(`${title.file}:${title.line}: no requirement has the id ${title.id}`);
for (const id of strays) console.error(`${REASONS}: no requirement has the id ${id}`);
if (unknown.length > 0 || strays.length > 0) process.exit(1);
