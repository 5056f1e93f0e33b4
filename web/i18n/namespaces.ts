/**
 * The typed list of message namespaces, so that an unknown key fails the type check. Those of the features are added in
 * web/app/namespaces.ts.
 */
import type conflict from './messages/conflict.ts';
import type sheet from './messages/sheet.ts';
import type shell from './messages/shell.ts';
import type thing from './messages/thing.ts';
import type ui from './messages/ui.ts';
import type { Words } from './rows.ts';

export interface Namespaces {
  conflict: Words<typeof conflict>;
  sheet: Words<typeof sheet>;
  shell: Words<typeof shell>;
  thing: Words<typeof thing>;
  ui: Words<typeof ui>;
}

export type Namespace = keyof Namespaces;

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'ui';
    resources: Namespaces;
    enableSelector: false;
  }
}
