/** @jsxImportSource hono/jsx */
// A model that is not on sale here, with the closest names.
import type { Text } from '#contract/language.ts';
import type { PublicCatalogue } from '#server/admin/public-model.ts';
import { pageHtml } from '#server/admin/public-pages/layout.tsx';
import { linkTo, type Asked, type PageContent } from '#server/admin/public-pages/page.ts';
import { Monogram } from '#server/admin/public-pages/parts.tsx';
import { pathOfModel } from './cells.tsx';
import { WORDS } from './words.ts';

const TEXTS = {
  title: { zh: '本站没有这个模型', en: 'This model is not sold here' },
  closest: { zh: '你要找的可能是', en: 'Did you mean' },
} satisfies Record<string, Text>;

const partsOf = (name: string): string[] =>
  name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);

export function missingModel(asked: Asked, { models }: PublicCatalogue, name: string): PageContent {
  const wanted = new Set(partsOf(name));
  const closest = models
    .map((model) => ({ model, score: partsOf(model.name).filter((part) => wanted.has(part)).length }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, 5);
  const { language } = asked;
  const title = TEXTS.title[language];
  return {
    status: 404,
    body: pageHtml({
      asked,
      title,
      description: title,
      isHidden: true,
      current: 'models',
      children: (
        <div class="page-head">
          <h1>{title}</h1>
          <p class="lead">
            <code>{name.slice(0, 200)}</code>
          </p>
          {closest.length === 0 ? null : (
            <>
              <h2>{TEXTS.closest[language]}</h2>
              <ul class="closest">
                {closest.map(({ model }) => (
                  <li>
                    <Monogram name={model.vendor || model.name} />
                    <a class="model-link" href={linkTo(asked, pathOfModel(model.name))}>
                      {model.name}
                    </a>
                  </li>
                ))}
              </ul>
            </>
          )}
          <a class="button" href={linkTo(asked, '/models')}>
            {WORDS.allModels[language]}
          </a>
        </div>
      ),
    }),
  };
}
