// Bundles the package from the contract of this repository; `tsc` writes its types beside it.
import path from 'node:path';

export async function build(outdir = path.join(import.meta.dir, 'dist')): Promise<string> {
  const built = await Bun.build({
    entrypoints: [path.join(import.meta.dir, 'src/index.ts')],
    outdir,
    target: 'node',
    format: 'esm',
    external: ['zod', 'ipaddr.js'],
  });
  const [output] = built.outputs;
  if (!built.success || output === undefined)
    throw new AggregateError(built.logs, 'the package could not be built');
  return output.path;
}

if (import.meta.main) await build(process.argv[2]);
