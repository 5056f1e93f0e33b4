// The image and the chart as files of a release. The image's context has the executables and the last stage of the Dockerfile, so that a
// machine with docker or buildah builds it for both processors without a build of the product.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot, run, say } from './project.mjs';

/** Docker's names of processors. */
const processors = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };
const contextFolder = (folder) => path.join(folder, 'image');

/** The last stage of the Dockerfile, with the executable of the processor that the image is built for. */
export function imageFile(dockerfile) {
  const stage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM ') + 1);
  const copy = /^COPY --from=build \S+ (\S+)$/m;
  if (!copy.test(stage)) throw new Error('the last stage of the Dockerfile does not copy the executable');
  return stage.replace(copy, 'ARG TARGETARCH\nCOPY --chmod=755 tollgate-linux-${TARGETARCH} $1');
}

async function pack(target, folder, names) {
  const { code, output } = await run('tar', [
    '--create',
    '--gzip',
    `--file=${target}`,
    '-C',
    folder,
    ...names,
  ]);
  if (code !== 0) throw new Error(`${path.basename(target)} could not be packed:\n${output}`);
  return target;
}

/** Undefined when no executable for Linux was built. */
export async function packImageContext(folder, version, built) {
  const inside = built.filter((platform) => platform in processors);
  if (inside.length === 0) return undefined;
  const context = contextFolder(folder);
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context);
  writeFileSync(path.join(context, 'Dockerfile'), imageFile(readFileSync(inRoot('Dockerfile'), 'utf8')));
  for (const platform of inside) {
    const target = path.join(context, `tollgate-linux-${processors[platform]}`);
    copyFileSync(path.join(folder, `tollgate-${platform}`), target);
    chmodSync(target, 0o755);
  }
  return await pack(path.join(folder, `tollgate-image-${version}.tar.gz`), context, ['.']);
}

/** As `helm package` would. */
export const packChart = (folder, version) =>
  pack(path.join(folder, `tollgate-chart-${version}.tgz`), inRoot('deploy', 'helm'), ['tollgate']);

/** Builds the image of this machine's processor with the first program that can. */
export async function buildImage(folder, version) {
  const processor = processors[`linux-${process.arch}`];
  if (!existsSync(path.join(contextFolder(folder), `tollgate-linux-${processor}`))) return;
  for (const [program, ready, ...build] of [
    ['docker', 'info', 'build'],
    ['buildah', 'info', 'build'],
  ]) {
    if ((await run(program, [ready])).code !== 0) continue;
    const args = [...build, '--build-arg', `TARGETARCH=${processor}`, '--tag', `tollgate:${version}`];
    const { code, output } = await run(program, [...args, contextFolder(folder)]);
    if (code !== 0) throw new Error(`the image could not be built:\n${output}`);
    say(`${program} has the image tollgate:${version}`);
    return;
  }
  say('no image was built: neither docker nor buildah runs here; release/image is its context');
}
