// The version of package.json. Imported, not read: a one-file executable has no package.json beside it.
import packageJson from '#package.json' with { type: 'json' };

export const VERSION: string = packageJson.version;
