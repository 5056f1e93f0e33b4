/** Words of the drawer that connects a provider, in English. */
import type { Messages } from '#web/i18n/namespaces.ts';
import type zh from './quick-zh.ts';

const messages: Messages<typeof zh> = {
  title: 'Connect a provider',
  provider: '1. Choose the provider',
  key: '2. Paste the key',
  baseUrl: 'Address',
  check: 'List and test its models',
  listing: 'Reading the list of models…',
  testing: 'Testing {{model}}…',
  passed: '{{model}} answered in {{seconds}} s',
  offered_one: 'One model will be offered',
  offered_other: '{{count}} models will be offered',
  left_one: 'The upstream has one more; add it to the channel later',
  left_other: 'The upstream has {{count}} more; add them to the channel later',
  save: 'Save the channel',
  expert: 'Whole form',
  noModels: 'The upstream named no models; enter them in the whole form',
};

export default messages;
