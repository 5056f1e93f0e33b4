/** Builds the console from web/ into dist/; in development it serves it and passes API calls to the gateway. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { baseChunk, iconChunk, refuseCircles, signInIconChunk } from './web/build/chunks.ts';
import { contractWire, pureContract } from './web/build/contract.ts';
import { documents } from './web/build/docs.ts';
import { earlyLoads } from './web/build/early.ts';
import { decorativeIcons } from './web/build/icons.ts';
import { messages } from './web/build/messages.ts';
import { unusedParts } from './web/build/unused-parts.ts';

const web = fileURLToPath(new URL('./web', import.meta.url));
/** `npm run dev` passes the address of the gateway it started. */
const gateway = process.env.TOLLGATE_DEV_GATEWAY ?? 'http://127.0.0.1:3000';
const proxied = [
  '/api/',
  '/content/',
  '/v1/',
  '/v1beta/',
  '/pg/',
  '/mj/',
  '/suno/',
  '/media/',
  '/dashboard/billing/',
  // Pages of the server.
  '^/(?:\\?.*)?$',
  '^/(?:models|plans|status|terms|privacy|contact|site|sitemap\\.xml|robots\\.txt)(?:[/?.].*)?$',
];

/** Modules of the console have addresses like those of the API (`/api/session.ts`): what is a file of web/ is not proxied. */
function ownFile({ url = '' }: { url?: string | undefined }): string | undefined {
  const { pathname } = new URL(url, gateway);
  const isFile = statSync(path.join(web, pathname), { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? url : undefined;
}

export default defineConfig({
  root: web,
  base: '/',
  plugins: [
    react(),
    contractWire(),
    pureContract(),
    documents(),
    messages(),
    decorativeIcons(),
    unusedParts(),
    earlyLoads(),
    refuseCircles(),
  ],
  // The stylesheets are plain CSS over custom properties; no PostCSS step, so a production install can build.
  css: { postcss: { plugins: [] }, modules: { localsConvention: 'camelCaseOnly' } },
  build: {
    outDir: fileURLToPath(new URL('./dist', import.meta.url)),
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    // Every browser of the target preloads modules by itself.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [baseChunk, iconChunk, signInIconChunk],
        },
      },
    },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      proxied.map((prefix) => [prefix, { target: gateway, ws: true, bypass: ownFile }]),
    ),
  },
});
