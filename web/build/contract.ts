/**
 * Build steps that keep the contract's schemas out of the browser: the console needs the addresses of the calls and a
 * few constants of the contract, not the library that validates them on the server.
 */
import { fileURLToPath } from 'node:url';
import { runnerImport, type Plugin } from 'vite';
import { z } from 'zod';

const CONTRACT = fileURLToPath(new URL('../../contract/', import.meta.url));
const WIRE = 'virtual:contract-wire';
const RESOLVED_WIRE = `\0${WIRE}`;

const LIMITS = 'virtual:limits/';

interface Declared {
  method: string;
  path: string;
  body: z.ZodType;
  organization?: unknown;
  extra: { safeParse(value: unknown): { success: boolean } };
}

type DeclaredApi = Record<string, Record<string, Declared>>;
let declared: Promise<DeclaredApi> | undefined;

/** Read once for all modules that are made of it, and again after a change of the contract. */
function readApi(): Promise<DeclaredApi> {
  declared ??= runnerImport<{ api: DeclaredApi }>(`${CONTRACT}api.ts`).then(({ module }) => module.api);
  return declared;
}

/** How long texts and how large numbers of an endpoint's body may be, for the form that sends it. */
async function limitsOf(endpoint: string): Promise<string> {
  const [group = '', name = ''] = endpoint.split('.');
  const body = (await readApi())[group]?.[name]?.body;
  if (!body) throw new Error(`The contract has no endpoint ${endpoint}.`);
  const { properties = {} } = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
  const limits = Object.entries(properties).flatMap(([field, property]) => {
    if (typeof property === 'boolean') return [];
    // Of a field that may also be null, the limits of its value.
    const given = property.anyOf?.find(({ type }) => type !== 'null') ?? property;
    const { minLength: shortest, maxLength: longest, minimum: least, maximum: most } = given;
    return [[field, { shortest, longest, least, most }]];
  });
  return `export default ${JSON.stringify(Object.fromEntries(limits))};`;
}

/**
 * Of every endpoint one text, because every visit loads all of them: its method unless it is GET, its path, and marks: `!` for an
 * answer that is more than bare data, `*` for one that acts for an organization.
 */
async function wireTable(): Promise<string> {
  const groups = Object.entries(await readApi()).map(([group, endpoints]) => [
    group,
    Object.fromEntries(
      Object.entries(endpoints).map(([name, { method, path, extra, organization }]) => [
        name,
        (method === 'GET' ? '' : method) +
          path +
          (extra.safeParse(undefined).success ? '' : '!') +
          (organization === undefined ? '' : '*'),
      ]),
    ),
  ]);
  return `export const wire = ${JSON.stringify(Object.fromEntries(groups))};`;
}

export function contractWire(): Plugin {
  return {
    name: 'contract-wire',
    resolveId: (id) => (id === WIRE || id.startsWith(LIMITS) ? `\0${id}` : undefined),
    load(id) {
      if (id === RESOLVED_WIRE) return wireTable();
      return id.startsWith(`\0${LIMITS}`) ? limitsOf(id.slice(LIMITS.length + 1)) : undefined;
    },
    handleHotUpdate({ file, server }) {
      if (!file.startsWith(CONTRACT)) return;
      declared = undefined;
      const wire = server.moduleGraph.getModuleById(RESOLVED_WIRE);
      if (wire) server.moduleGraph.invalidateModule(wire);
    },
  };
}

const CALL_FREE = new Set([
  'Literal',
  'TemplateLiteral',
  'ArrowFunctionExpression',
  'FunctionExpression',
  'Identifier',
]);

/**
 * Schemas are built by calls, which a bundler must keep for their possible effects. In the contract they have none:
 * each top-level value is wrapped in a pure call, so that unused ones are dropped.
 */
export function pureContract(): Plugin {
  return {
    name: 'pure-contract',
    apply: 'build',
    enforce: 'post',
    transform(code, id) {
      if (!id.startsWith(CONTRACT)) return null;
      const values = this.parse(code).body.flatMap((statement) => {
        const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
        return declaration?.type === 'VariableDeclaration' ? declaration.declarations : [];
      });
      let pure = code;
      for (const { init } of values.toReversed()) {
        if (!init || CALL_FREE.has(init.type)) continue;
        const { start, end } = init as unknown as { start: number; end: number };
        pure = `${pure.slice(0, start)}/* @__PURE__ */ (() => (${pure.slice(start, end)}))()${pure.slice(end)}`;
      }
      return { code: pure, map: null };
    },
  };
}
