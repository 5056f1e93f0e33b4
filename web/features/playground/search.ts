/** Search parameters of the playground: the initial model, and the tab. */
import { oneOf, searchParams, text } from '#web/ui/address/search-params.ts';

export const playgroundSearch = searchParams({ model: text(200), tab: oneOf('image', 'music', 'video') });
