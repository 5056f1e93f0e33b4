// Class names are plain text to the compiler: this finds a misspelt one, a class that is no longer used, and one of a feature that
// repeats a shared one.
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vite';

const WEB = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(file, 'utf8');
const files = readdirSync(WEB, { recursive: true, encoding: 'utf8' }).map((file) => path.join(WEB, file));
const sources = files.filter((file) => /(?<!\.test)\.tsx?$/.test(file));

const classesOf = (css: string) =>
  new Set(
    [...css.replaceAll(/\/\*[^]*?\*\/|:global\([^)]*\)/g, '').matchAll(/\.([a-z][\w-]*)(?=[^;}]*\{)/gi)].map(
      ([, name = '']) => name,
    ),
  );

interface Node {
  type: string;
  [key: string]: unknown;
}
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** The texts that an expression may give: conditions and operands of comparisons are not among them. */
function textsOf(node: unknown): string[] {
  if (!isNode(node)) return [];
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? [node['value']] : [];
  if (node.type === 'JSXExpressionContainer') return textsOf(node['expression']);
  if (node.type === 'ConditionalExpression')
    return [...textsOf(node['consequent']), ...textsOf(node['alternate'])];
  if (node.type === 'LogicalExpression') return [...textsOf(node['left']), ...textsOf(node['right'])];
  if (node.type !== 'TemplateLiteral') return [];
  const quasis = node['quasis'] as { value: { cooked: string } }[];
  return [...quasis.map(({ value }) => value.cooked), ...(node['expressions'] as unknown[]).flatMap(textsOf)];
}

function classTexts(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(classTexts);
  if (!isNode(node)) return [];
  const { name } = node as { name?: { name?: string } };
  if (node.type === 'JSXAttribute' && name?.name === 'className') return textsOf(node['value']);
  return Object.values(node).flatMap(classTexts);
}

test('every shared class that a component names exists, and every one that exists is named (R5)', () => {
  const existing = classesOf(read(`${WEB}ui/theme/layout.css`) + read(`${WEB}ui/theme/words.css`));
  const named = new Set(
    sources
      .filter((file) => file.endsWith('.tsx'))
      .flatMap((file) => classTexts(parseAst(read(file), { lang: 'tsx' })))
      .flatMap((text) => text.split(/\s+/).filter(Boolean)),
  );
  expect([...named].toSorted()).toEqual([...existing].toSorted());
});

test('every class that a component takes from a module exists, and every one that exists is taken (R5)', () => {
  const taken = new Map<string, Set<string>>();
  for (const file of sources) {
    const text = read(file);
    for (const [, name = '', from = ''] of text.matchAll(/^import (\w+) from '(.*\.module\.css)';$/gm)) {
      const module = from.startsWith('#web/') ? WEB + from.slice(5) : path.join(path.dirname(file), from);
      const uses = text
        .replaceAll(/^import .*$/gm, '')
        .matchAll(new RegExp(`(?<![\\w.])${name}\\.(\\w+)`, 'g'));
      const known = taken.get(module) ?? new Set();
      taken.set(module, known);
      for (const [, used = ''] of uses) known.add(used);
      // Mantine's widgets take the whole module: their parts are its classes.
      if (text.includes(`classNames={${name}}`)) known.add('*');
    }
  }
  for (const file of files.filter((name) => name.endsWith('.module.css'))) {
    const css = read(file);
    const composed = files.some(
      (other) => other.endsWith('.css') && read(other).includes(`from './${path.basename(file)}'`),
    );
    if (taken.get(file)?.has('*') || composed) continue;
    const camel = (name: string) => name.replaceAll(/-+(\w)/g, (_, letter: string) => letter.toUpperCase());
    const existing = new Set([...classesOf(css)].map(camel));
    expect({ file, classes: [...(taken.get(file) ?? [])].toSorted() }).toEqual({
      file,
      classes: [...existing].toSorted(),
    });
  }
});

const withoutComments = (css: string) => css.replaceAll(/\/\*[^]*?\*\//g, '');

/** The declarations of each class, as far as a rule is for this class alone. */
function declarationsOf(css: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, selectors = '', body = ''] of withoutComments(css).matchAll(/([^{};]+)\{([^{}]*)\}/g))
    for (const selector of selectors.split(',')) {
      const name = /^\.([a-z][\w-]*)$/i.exec(selector.trim())?.[1];
      if (name === undefined) continue;
      const known = found.get(name) ?? new Set();
      found.set(name, known);
      for (const declaration of body.split(';').filter((text) => text.trim() !== ''))
        known.add(declaration.trim().replaceAll(/\s+/g, ' '));
    }
  return found;
}

test('no class of a feature repeats a shared class of two declarations or more (R5)', () => {
  const sharedCss = read(`${WEB}ui/theme/layout.css`) + read(`${WEB}ui/theme/words.css`);
  const bodyOf = (declarations: ReadonlySet<string>) => [...declarations].toSorted().join('; ');
  const shared = new Map([...declarationsOf(sharedCss)].map(([name, own]) => [bodyOf(own), name]));
  const repeated = files
    .filter((file) => file.startsWith(`${WEB}features/`) && file.endsWith('.module.css'))
    .flatMap((file) => {
      const css = withoutComments(read(file));
      const mentions = (name: string) => [...css.matchAll(new RegExp(`\\.${name}(?![\\w-])`, 'g'))].length;
      return [...declarationsOf(css)]
        .filter(([name, own]) => own.size > 1 && mentions(name) === 1 && shared.has(bodyOf(own)))
        .map(([name, own]) => `${path.relative(WEB, file)} .${name} is .${shared.get(bodyOf(own))}`);
    });
  expect(shared.size).toBeGreaterThan(40);
  expect(repeated).toEqual([]);
});
