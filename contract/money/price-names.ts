// Names that the price book, its lists and the console share.

/** What made a version. */
export const VERSION_SOURCES = [
  'start',
  'settings',
  'configuration',
  'import',
  'draft',
  'scheduled',
  'rollback',
] as const;

/** Shapes of outside price lists. */
export const LIST_SHAPES = ['litellm', 'models.dev', 'gateway'] as const;
export type ListShape = (typeof LIST_SHAPES)[number];
