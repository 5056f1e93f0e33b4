/** What the address of the playground can say: the model to start with. */
import { searchParams, text } from '#web/ui/address/search-params.ts';

export const playgroundSearch = searchParams({ model: text(200) });
