// The known models of each channel type, offered by "fill related models". An operator may add any other name. The lists are
// in type-models.json; a family is a list that several types share. Gemini's includes the models that Gemini CLI selects without the user
// for routing and summaries.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import lists from './type-models.json' with { type: 'json' };

type Family = keyof typeof lists.families;
type ChannelTypeName = keyof typeof CHANNEL_TYPE;

const types: Readonly<Partial<Record<ChannelTypeName, { families?: string[]; models?: string[] }>>> =
  lists.types;

export const typeModels: Readonly<Record<number, readonly string[]>> = Object.fromEntries(
  Object.entries(types).map(([name, { families = [], models = [] }]) => [
    CHANNEL_TYPE[name as ChannelTypeName],
    [...families.flatMap((family) => lists.families[family as Family]), ...models],
  ]),
);
