// The Helm chart: its values are refused where the product would not run, what it renders are objects that Kubernetes knows, and the
// rendered files belong to the chart as it is. helm lints and renders it again where helm is there (npm run chart builds it).
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { z } from 'zod';
import { environmentSchema, readEnvironment } from '#server/platform/env.ts';
import { chart, findHelm, fingerprint, keptFingerprint, renderings, runHelm, template } from './chart.ts';

const root = path.join(import.meta.dir, '..');
const read = (file: string) => readFileSync(path.resolve(root, file), 'utf8');
interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}
type Values = Record<string, unknown>;

const objectsIn = (text: string) =>
  text
    .split(/^---$/m)
    .map((part) => Bun.YAML.parse(part) as KubernetesObject | null)
    .filter((part) => part !== null);
const files = renderings().map(({ file }) => path.relative(root, file));

describe('values.schema.json', () => {
  const schema = JSON.parse(read('deploy/helm/tollgate/values.schema.json')) as {
    properties: { env: { propertyNames: { enum: string[] } } };
  };
  const accepts = new Ajv({ allErrors: true, strict: false }).compile(schema);
  const defaults = Bun.YAML.parse(read('deploy/helm/tollgate/values.yaml')) as Values;
  /** As helm lays given values over the defaults. */
  const over = (base: Values, given: Values): Values =>
    Object.fromEntries(
      Object.keys({ ...base, ...given }).map((name) => {
        const [below, above] = [base[name], given[name]];
        const isBoth = [below, above].every(
          (one) => typeof one === 'object' && one !== null && !Array.isArray(one),
        );
        return [name, isBoth ? over(below as Values, above as Values) : name in given ? above : below];
      }),
    );
  const good: [string, Values][] = [
    ['the defaults', {}],
    ['SQLite with one gateway', { database: { kind: 'sqlite' }, replicas: 1, secret: { existing: '' } }],
    ['PostgreSQL with five', { replicas: 5, env: { WORKERS: '4', LOG_LEVEL: 'warn' } }],
  ];
  const bad: [string, Values][] = [
    ['SQLite with three gateways', { database: { kind: 'sqlite' }, replicas: 3 }],
    ['SQLite with two processes', { database: { kind: 'sqlite' }, replicas: 1, env: { WORKERS: '2' } }],
    ['PostgreSQL without a secret', { secret: { existing: '' } }],
    ['another database', { database: { kind: 'mysql' } }],
    ['no gateway', { replicas: 0 }],
    ['half a gateway', { replicas: 1.5 }],
    ['an address in the open', { env: { DATABASE_URL: 'postgres://…' } }],
    ['a variable that the chart sets', { env: { DRAIN_SECONDS: '5' } }],
    ['a number as a variable', { env: { WORKERS: 2 } }],
    ['a value that does not exist', { replicaCount: 3 }],
    ['a misspelt one inside', { storage: { sise: '1Gi' } }],
    ['an ingress without a host', { ingress: { enabled: true } }],
    [
      'a monitor without a token',
      {
        database: { kind: 'sqlite' },
        replicas: 1,
        secret: { existing: '' },
        serviceMonitor: { enabled: true },
      },
    ],
    ['more time to drain than the product takes', { drainSeconds: 3601 }],
  ];

  test.each(good)('accepts %s (N43)', (_, values) => {
    expect(accepts(over(defaults, values)) || accepts.errors).toBe(true);
  });
  test.each(bad)('refuses %s (N43)', (_, values) => {
    expect(accepts(over(defaults, values))).toBe(false);
  });

  test('`env` takes every variable of the product that the chart does not set and the secret does not hold (N43)', () => {
    const set = new Set(
      files
        .flatMap((file) => [...read(file).matchAll(/^ +- name: ([A-Z_]+)$/gm)].map(([, name]) => name))
        .concat('PORT', 'HOST'),
    );
    const others = Object.keys(environmentSchema.shape);
    const own = ['TRUSTED_PROXIES', 'WORKERS']; // A case gives these by `env`.
    const free = others.filter((name) => !set.has(name) || own.includes(name));
    expect(schema.properties.env.propertyNames.enum.toSorted()).toEqual(free.toSorted());
  });

  const found = findHelm();
  const helm = found ?? '';
  test.skipIf(found === undefined)(
    'helm lints the chart, and refuses and renders the same values (N43)',
    () => {
      expect(runHelm(helm, 'lint', '--strict', chart)).toMatchObject({ status: 0 });
      for (const [name, values] of [...good, ...bad]) {
        const file = path.join(scratch, 'values.json');
        writeFileSync(file, JSON.stringify(values));
        const isGood = good.some(([each]) => each === name);
        expect([name, template(helm, `--values=${file}`).status === 0]).toEqual([name, isGood]);
      }
      for (const { file, args, finish } of renderings())
        expect(finish(template(helm, ...args).output)).toBe(read(file));
    },
  );
});

const cache = path.join(root, 'node_modules', '.cache');
mkdirSync(cache, { recursive: true });
const scratch = mkdtempSync(path.join(cache, 'chart-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('the rendered files', () => {
  test('are of the chart as it is: after a change, npm run chart renders them anew (N43)', () => {
    expect(keptFingerprint()).toBe(fingerprint());
  });

  /** Kubernetes' own descriptions of its objects, as types; the compiler finds names and values that they do not have. */
  const types: Record<string, string> = {
    'apps/v1 StatefulSet': 'apps/v1',
    'v1 Service': 'core/v1',
    'v1 ServiceAccount': 'core/v1',
    'policy/v1 PodDisruptionBudget': 'policy/v1',
    'networking.k8s.io/v1 Ingress': 'networking/v1',
  };
  /** Of the Prometheus operator, which is no part of Kubernetes. */
  const labels = z.record(z.string(), z.string());
  const serviceMonitor = z.strictObject({
    apiVersion: z.literal('monitoring.coreos.com/v1'),
    kind: z.literal('ServiceMonitor'),
    metadata: z.strictObject({ name: z.string(), labels }),
    spec: z.strictObject({
      selector: z.strictObject({ matchLabels: labels }),
      endpoints: z.array(
        z.strictObject({
          port: z.string(),
          path: z.string(),
          interval: z.string(),
          scheme: z.enum(['http', 'https']).optional(),
          authorization: z.strictObject({
            type: z.literal('Bearer'),
            credentials: z.strictObject({ name: z.string(), key: z.string() }),
          }),
        }),
      ),
    }),
  });

  /** The compiler's complaints about the objects. */
  function complaintsAbout(objects: KubernetesObject[]): string {
    const lines = objects.map((object, index) => {
      const module = types[`${object.apiVersion} ${object.kind}`];
      expect([object.kind, module]).toEqual([object.kind, expect.any(String)]);
      return `export const object${index}: import('kubernetes-types/${module}').${object.kind} = ${JSON.stringify(object, null, 1)};`;
    });
    const file = path.join(scratch, 'objects.ts');
    writeFileSync(file, lines.join('\n'));
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--types',
      '',
      '--moduleResolution',
      'bundler',
    ];
    const compiler = path.join(root, 'node_modules', '.bin', 'tsc');
    const { stdout } = Bun.spawnSync([compiler, '--ignoreConfig', '--module', 'esnext', ...options, file], {
      cwd: scratch,
    });
    return stdout.toString();
  }

  test('have only objects and fields that Kubernetes knows (N43)', () => {
    const all = files.flatMap((file) => objectsIn(read(file)));
    const isMonitor = ({ kind }: KubernetesObject) => kind === 'ServiceMonitor';
    expect(all.filter(isMonitor)).toHaveLength(1);
    for (const monitor of all.filter(isMonitor)) serviceMonitor.parse(monitor);
    const others = all.filter((object) => !isMonitor(object));
    expect(others.length).toBeGreaterThan(9);
    expect(complaintsAbout(others)).toBe('');
    // The check itself can fail: a misspelt probe and a number as a variable.
    const [set] = others.filter(({ kind }) => kind === 'StatefulSet');
    const text = JSON.stringify(set);
    expect(
      complaintsAbout([JSON.parse(text.replace('readinessProbe', 'redinessProbe')) as KubernetesObject]),
    ).toContain('redinessProbe');
    expect(
      complaintsAbout([JSON.parse(text.replace('"value":"30"', '"value":30')) as KubernetesObject]),
    ).toContain("'number'");
  });

  test.each(files)('%s: probes, time to drain and rights of the pods (N43)', (file) => {
    const objects = objectsIn(read(file));
    const found = (kind: string) => objects.find((object) => object.kind === kind);
    const { spec } = found('StatefulSet') as unknown as StatefulSet;
    const pod = spec.template.spec;
    const [container] = pod.containers;
    expect(container?.startupProbe.httpGet.path).toBe('/healthz');
    expect(container?.readinessProbe.httpGet.path).toBe('/readyz');
    expect(container?.livenessProbe.httpGet.path).toBe('/healthz');
    const variables = new Map(container?.env.map((one) => [one.name, one.value]));
    expect([...variables.keys()].filter((name) => !(name in environmentSchema.shape))).toEqual([]);
    const [, sleep] = container?.lifecycle.preStop.exec.command ?? [];
    const drain = Number(variables.get('DRAIN_SECONDS'));
    expect(drain).toBeGreaterThanOrEqual(readEnvironment({}).drainSeconds);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drain + Number(sleep));
    expect(pod.securityContext.runAsNonRoot).toBe(true);
    expect(container?.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    });
    // The user of the image, who owns its data.
    expect(read('Dockerfile')).toContain(`useradd --uid ${pod.securityContext.runAsUser} `);
    expect(found('PodDisruptionBudget') !== undefined).toBe(spec.replicas > 1);
    expect(variables.has('DATABASE_URL')).toBe(spec.replicas > 1);
  });
});

test('the chart has the version of the product (N43)', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(Bun.YAML.parse(read('deploy/helm/tollgate/Chart.yaml'))).toMatchObject({
    version,
    appVersion: version,
  });
});

interface Probe {
  httpGet: { path: string };
}
interface StatefulSet {
  spec: {
    replicas: number;
    template: {
      spec: {
        terminationGracePeriodSeconds: number;
        securityContext: { runAsNonRoot: boolean; runAsUser: number };
        containers: {
          env: { name: string; value?: string }[];
          startupProbe: Probe;
          readinessProbe: Probe;
          livenessProbe: Probe;
          lifecycle: { preStop: { exec: { command: string[] } } };
          securityContext: object;
        }[];
      };
    };
  };
}
