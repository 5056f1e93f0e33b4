/** Words of the chat pages in English. */
import type { Messages } from '#web/i18n/namespaces.ts';
import type zh from './zh.ts';

const messages: Messages<typeof zh> = {
  title: 'Chat',
  apps: 'Chat applications',
  token: 'Token in use',
  newTab: 'Open in a new tab',
  copyLink: 'Copy link',
  slow: 'Nothing to see yet? The page may not allow to be embedded.',
  warning:
    'The link carries the key, and {{host}} will see it. A limited token of its own for each application is safer.',
  error: {
    badLink: 'The chat link is not configured correctly, please contact the administrator',
    noLink: 'Please ask the administrator to configure a chat link',
    unreadable: 'The chat data could not be read',
    noToken: 'There is no enabled token. Please check that at least one token is enabled!',
  },
  redirect: 'Going to the token page in {{seconds}} s',
  stay: 'Stay here',
  toTokens: 'Go to the token page',
  ask: {
    title: 'Hand the key to {{host}}?',
    text: '{{host}} is another site. Going on gives it the whole key of the token {{token}}, with which it can spend your quota.',
    advice: 'Safer: create a token for it with a limit and an expiry, and choose it above.',
    go: 'Hand the key to {{host}}',
  },
  app: {
    title: 'Continue in {{name}}',
    text: 'This link opens an application on your device and hands it the key of the token {{token}}.',
    open: 'Open {{name}}',
    question: 'Did it not open? Install the application first, or copy the link and paste it there.',
  },
  link: {
    title: 'You are leaving the console',
    text: 'Going on opens {{host}} and hands it the key of the token {{token}}.',
    soon: 'Continuing in {{seconds}} s',
    go: 'Continue to {{host}}',
  },
};

export default messages;
