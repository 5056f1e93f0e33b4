import type { Messages } from '#web/i18n/namespaces.ts';
import type zh from './zh.ts';

export default {
  home: {
    title: 'Home',
    headline: 'One address for every model.',
    lead: 'OpenAI compatible. Prepaid balance, billed by use, and every call can be accounted for.',
    baseUrl: 'Base URL',
    copyBaseUrl: 'Copy the base URL',
    getKey: 'Get a token',
    openConsole: 'Open the console',
    signIn: 'Sign in',
    example: 'Example call',
    copyExample: 'Copy the example',
    stepsTitle: 'Three steps',
    steps: {
      account: { title: 'Sign in or register', text: 'The console shows your balance and every call.' },
      token: {
        title: 'Create a token',
        text: 'One per application, limited by quota, model and address if you like.',
      },
      point: {
        title: 'Change one line',
        text: 'Set the base URL of your client to the address above, the key to your token.',
      },
    },
    facts: {
      title: 'This installation',
      version: 'Version',
      unit: 'Unit',
      unitValue: '$1 = {{quota}} quota',
      price: 'Top-up price',
      priceValue: '{{price}} per $1, from ${{minimum}}',
      registration: 'Registration',
      open: 'Open',
      closed: 'Closed',
      verified: 'Open, with a verified email',
      separator: ', ',
      login: 'Sign in by',
      password: 'Password',
    },
    notice: 'Notice',
  },
  about: {
    title: 'About',
    empty: '{{name}} is a gateway for model APIs: one address for every model, prepaid and billed by use.',
    version: 'Version',
    api: 'API reference',
    operator: 'The administrator can fill this page in the settings.',
  },
} satisfies Messages<typeof zh>;
