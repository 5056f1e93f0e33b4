// `npm run release`: what a release page and a registry need, in release/: the executables of all platforms, the context of the image
// (and the image itself where docker or buildah is there), the Helm chart, checksums, a list of the parts (SBOM) and the notes of this version. `-- --platforms linux-x64` builds only these; `-- --check` also lets the one of this machine serve calls in an empty
// root and in the tree of the image.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { checkInEmptyRoot } from './empty-root.mjs';
import { ensureConsole } from './console.mjs';
import { buildExecutable, ownPlatform, platforms } from './executable.mjs';
import { buildImage, packChart, packImageContext } from './image.mjs';
import { ensureInstalled, main } from './install.mjs';
import { inRoot, run, say } from './project.mjs';

await main(async () => {
  const { values } = parseArgs({
    options: { platforms: { type: 'string', default: platforms.join(',') }, check: { type: 'boolean' } },
  });
  const chosen = values.platforms.split(',');
  const unknown = chosen.filter((platform) => !platforms.includes(platform));
  if (unknown.length > 0)
    throw new Error(`unknown platform ${unknown.join(', ')}; there are ${platforms.join(', ')}`);
  await ensureInstalled({ dev: true });
  await ensureConsole();
  const folder = inRoot('release');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  const made = [];
  for (const platform of chosen) {
    made.push(await buildExecutable(platform, folder));
    say(`${path.basename(made.at(-1))} is built`);
  }
  made.push(await packChart(folder, version), await writeParts(folder), writeNotes(folder, version));
  const context = await packImageContext(folder, version, chosen);
  if (context) made.push(context);
  const sums = made.map((file) => `${digest(file)}  ${path.basename(file)}\n`);
  writeFileSync(path.join(folder, 'SHA256SUMS'), sums.join(''));
  say(`release ${version} is in release/`);
  if (context) await buildImage(folder, version);
  if (values.check) await checkInEmptyRoot(path.join(folder, `tollgate-${ownPlatform}`));
});

function digest(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** The packages inside, as CycloneDX. */
async function writeParts(folder) {
  const file = path.join(folder, 'tollgate.cdx.json');
  const { code, output } = await run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'], {});
  if (code !== 0) throw new Error(`the list of parts could not be made:\n${output}`);
  // npm prints warnings before the document.
  const parts = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1));
  writeFileSync(file, `${JSON.stringify(parts, null, 2)}\n`);
  return file;
}

/** The newest section of the changelog. */
function writeNotes(folder, version) {
  const file = path.join(folder, 'NOTES.md');
  const [, ...sections] = readFileSync(inRoot('CHANGELOG.md'), 'utf8').split(/^## /m);
  const section = sections.find((text) => text.startsWith(version)) ?? sections[0] ?? '';
  writeFileSync(file, `# Tollgate ${version}\n\n${section.slice(section.indexOf('\n')).trim()}\n`);
  return file;
}
