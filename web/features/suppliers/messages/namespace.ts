/** Makes the words of this feature a typed namespace. */
import type zh from './zh.ts';

declare module '#web/i18n/namespaces.ts' {
  interface Namespaces {
    suppliers: typeof zh;
  }
}
