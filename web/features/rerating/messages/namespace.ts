/** Makes the messages of this feature a typed namespace. */
import type zh from './zh.ts';

declare module '#web/i18n/namespaces.ts' {
  interface Namespaces {
    rerating: typeof zh;
  }
}
