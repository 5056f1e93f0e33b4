// The writer thread of store tests: small procedures that show the group commit.
import { runWriter } from '#server/store/sqlite/writer-thread.ts';

const notes: unknown[] = [];

runWriter({
  procedures: {
    'option.put': (context, [key, value]) =>
      context
        .statement(
          'insert into options (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
        )
        .run(key as string, value as string).changes,
    'option.put-then-throw': (context, [key, value]) => {
      context.statement('insert into options (key, value) values (?, ?)').run(key as string, value as string);
      throw new Error('refused on purpose');
    },
    'batch.results': (_context, args) => args,
    'light.results': (_context, args) => args,
    'light.note': (_context, args) => {
      notes.push(...args);
      return null;
    },
    'batch.notes': () => notes,
    'result.not-json': () => 10n,
  },
  deferred: ['light.results', 'light.note'],
  isPending: () => false,
});
