// `npm run chart`: renders the Helm chart with helm: deploy/kubernetes.yaml from its defaults, deploy/helm/rendered/ from each file
// of deploy/helm/cases/. The tests compare these files with helm's output where helm is there; elsewhere they check by the
// fingerprint that the chart is still the one that was rendered. Without helm on the machine, Go builds it once.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dir, '..');
const inRoot = (...parts: string[]): string => path.join(root, ...parts);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const HELM_VERSION = 'v3.16.4';
/** The oldest release of Kubernetes that the objects are written for; helm asks no cluster. */
const KUBERNETES = '1.25.0';
export const chart = inRoot('deploy', 'helm', 'tollgate');
const cases = inRoot('deploy', 'helm', 'cases');
const rendered = inRoot('deploy', 'helm', 'rendered');
const fingerprintFile = path.join(rendered, 'SHA256');
const built = inRoot('node_modules', '.cache', 'helm');

const head = `# Two gateways on a PostgreSQL that runs elsewhere: the Helm chart with its defaults (npm run chart). Push the image of the Dockerfile
# and name it below; make the secret:
#   kubectl create secret generic tollgate --from-literal=DATABASE_URL=postgres://… --from-literal=MASTER_KEY=$(openssl rand -hex 32)
# then: kubectl apply -f deploy/kubernetes.yaml
`;

/** The helm of this machine, or undefined. HELM names another. */
export function findHelm(): string | undefined {
  const places = [process.env['HELM'] ?? '', path.join(built, 'helm'), 'helm'].filter(Boolean);
  return places.find((place) => spawnSync(place, ['version', '--short']).status === 0);
}

function buildHelm(): string {
  mkdirSync(built, { recursive: true });
  say(`no helm here; building ${HELM_VERSION} with Go (some minutes) …`);
  const source = `helm.sh/helm/v3/cmd/helm@${HELM_VERSION}`;
  const { status } = spawnSync('go', ['install', source], {
    env: { ...process.env, GOBIN: built },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error('helm is not installed, and Go could not build it');
  return path.join(built, 'helm');
}

export interface HelmRun {
  status: number | null;
  output: string;
  error: string;
}

export function runHelm(helm: string, ...args: string[]): HelmRun {
  const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8' });
  return { status, output: stdout, error: stderr };
}

export const template = (helm: string, ...args: string[]): HelmRun =>
  runHelm(helm, 'template', 'tollgate', chart, `--kube-version=${KUBERNETES}`, ...args);

export interface Rendering {
  file: string;
  /** For `helm template`. */
  args: string[];
  /** Makes the file of helm's output. */
  finish: (text: string) => string;
}

export function renderings(): Rendering[] {
  const fromCases = readdirSync(cases).map((name) => ({
    file: path.join(rendered, name),
    args: [`--values=${path.join(cases, name)}`],
    finish: (text: string) => text,
  }));
  return [{ file: inRoot('deploy', 'kubernetes.yaml'), args: [], finish: forKubectl }, ...fromCases];
}

/** Without what is true only of objects that helm manages. */
const forKubectl = (text: string): string =>
  head +
  text
    .split('\n')
    .filter((line) => !/^ *(helm\.sh\/chart:|app\.kubernetes\.io\/managed-by:|# Source: )/.test(line))
    .join('\n');

/** Of everything that decides the rendered files, and of these files. */
export function fingerprint(): string {
  const hash = createHash('sha256');
  const within = (folder: string) =>
    readdirSync(folder, { recursive: true }).map((name) => path.join(folder, String(name)));
  const made = renderings().map(({ file }) => file);
  const files = [...within(chart), ...within(cases), ...made].filter((file) => statSync(file).isFile());
  for (const file of files.sort())
    hash.update(`${path.relative(inRoot(), file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

export const keptFingerprint = (): string => readFileSync(fingerprintFile, 'utf8').trim();

function renderAll(): void {
  const helm = findHelm() ?? buildHelm();
  const lint = runHelm(helm, 'lint', '--strict', chart);
  if (lint.status !== 0) throw new Error(`helm lint:\n${lint.output}${lint.error}`);
  rmSync(rendered, { recursive: true, force: true });
  mkdirSync(rendered);
  for (const { file, args, finish } of renderings()) {
    const { status, output, error } = template(helm, ...args);
    if (status !== 0) throw new Error(`helm template:\n${error}`);
    writeFileSync(file, finish(output));
    say(`wrote ${path.relative(inRoot(), file)}`);
  }
  writeFileSync(fingerprintFile, `${fingerprint()}\n`);
}

// Imported by the tests too.
if (import.meta.main) renderAll();
