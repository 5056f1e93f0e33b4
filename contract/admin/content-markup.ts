// The markup that texts of people and models may have when they are shown. The server cleans the operator's texts by it
// when they are saved, the console every text when it is drawn. No `class`, `id` or `style`: with the console's own classes a
// text could lie over every screen. No attribute that loads something but those of CONTENT_LOADING.

export const CONTENT_TAGS: readonly string[] = (
  'a abbr address article aside audio b bdi bdo big blockquote br caption center cite code col colgroup dd del details ' +
  'dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main mark nav ol ' +
  'p picture pre q rp rt ruby s samp section small source span strike strong sub summary sup table tbody td tfoot th ' +
  'thead time tr tt u ul var video wbr'
).split(' ');

export const CONTENT_ATTRIBUTES: readonly string[] = (
  'title lang dir align valign width height colspan rowspan span scope headers start reversed open datetime ' +
  'alt loading controls loop muted color face size bgcolor border cellpadding cellspacing'
).split(' ');

/** Attributes whose address the browser loads by itself, by element. */
export const CONTENT_LOADING: Readonly<Record<string, readonly string[]>> = {
  img: ['src'],
  audio: ['src'],
  source: ['src'],
  video: ['src', 'poster'],
};
