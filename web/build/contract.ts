/**
 * Build steps that keep the contract's schemas out of the browser: the console needs the addresses of the calls and a
 * few constants of the contract, not the library that validates them on the server.
 */
import { fileURLToPath } from 'node:url';
import { runnerImport, type Plugin } from 'vite';

const CONTRACT = fileURLToPath(new URL('../../contract/', import.meta.url));
const WIRE = 'virtual:contract-wire';
const RESOLVED_WIRE = `\0${WIRE}`;

interface Declared {
  method: string;
  path: string;
  extra: { safeParse(value: unknown): { success: boolean } };
}

/** Method, path and whether the answer is bare data, of every endpoint: all that a call needs. */
async function wireTable(): Promise<string> {
  const { module } = await runnerImport<{ api: Record<string, Record<string, Declared>> }>(
    `${CONTRACT}api.ts`,
  );
  const groups = Object.entries(module.api).map(([group, endpoints]) => [
    group,
    Object.fromEntries(
      Object.entries(endpoints).map(([name, { method, path, extra }]) => [
        name,
        // Most are bare and half are read: only the others say so.
        {
          path,
          ...(method === 'GET' ? {} : { method }),
          ...(extra.safeParse(undefined).success ? {} : { bare: false }),
        },
      ]),
    ),
  ]);
  return `export const wire = ${JSON.stringify(Object.fromEntries(groups))};`;
}

export function contractWire(): Plugin {
  return {
    name: 'contract-wire',
    resolveId: (id) => (id === WIRE ? RESOLVED_WIRE : undefined),
    load: (id) => (id === RESOLVED_WIRE ? wireTable() : undefined),
    handleHotUpdate({ file, server }) {
      if (!file.startsWith(CONTRACT)) return;
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
