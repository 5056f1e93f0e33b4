import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { imageFile, packChart, packImageContext } from './image.mjs';
import { inRoot, run } from './project.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-image-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const namesIn = async (file) => (await run('tar', ['--list', `--file=${file}`])).output.trim().split('\n');

test('the context of the image has the executables of both processors and the last stage of the Dockerfile (N32)', async () => {
  for (const platform of ['linux-x64', 'linux-arm64'])
    writeFileSync(path.join(folder, `tollgate-${platform}`), '');
  const file = await packImageContext(folder, '1.2.3', ['linux-x64', 'linux-arm64', 'darwin-arm64']);
  expect(path.basename(file)).toBe('tollgate-image-1.2.3.tar.gz');
  expect((await namesIn(file)).toSorted()).toEqual(
    ['./', './Dockerfile', './tollgate-linux-amd64', './tollgate-linux-arm64'].toSorted(),
  );
  const stage = imageFile(readFileSync(inRoot('Dockerfile'), 'utf8'));
  expect(stage.match(/^FROM /gm)).toHaveLength(1);
  expect(stage).not.toContain('--from=');
  expect(stage).toContain(
    'COPY --chmod=755 tollgate-linux-${TARGETARCH} /usr/local/bin/tollgate\nUSER tollgate',
  );
  expect(await packImageContext(folder, '1.2.3', ['darwin-arm64'])).toBeUndefined();
});

test('the chart is packed as helm packs one (N32)', async () => {
  const names = await namesIn(await packChart(folder, '1.2.3'));
  expect(names).toContain('tollgate/Chart.yaml');
  expect(names).toContain('tollgate/templates/statefulset.yaml');
});
