/** Search parameters of the playground: the initial model. */
import { searchParams, text } from '#web/ui/address/search-params.ts';

export const playgroundSearch = searchParams({ model: text(200) });
