import { describe, expect, test } from 'bun:test';
import { sortRefusal } from './refusal.tsx';

const refusal = (message: string, fields: { field: string; message: string }[]) =>
  Object.assign(new Error(message), { fields });

describe('a refusal in a form', () => {
  const names = ['name', 'models', 'expiry'] as const;
  const aliases = { expired_time: 'expiry' } as const;

  test('a field of the form gets its sentence', () => {
    const error = refusal('taken', [{ field: 'name', message: 'taken' }]);
    expect(sortRefusal(error, { names })).toEqual({ fields: { name: 'taken' }, other: undefined });
  });

  test('an entry of a list belongs to the list, an alias to its field; the first sentence stays', () => {
    const error = refusal('invalid', [
      { field: 'models.3', message: 'too long' },
      { field: 'models.4', message: 'too short' },
      { field: 'expired_time', message: 'past' },
    ]);
    expect(sortRefusal(error, { names, aliases })).toEqual({
      fields: { models: 'too long', expiry: 'past' },
      other: undefined,
    });
  });

  test('a field that is not on the form shows above the buttons, beside those that are', () => {
    const error = refusal('quota: no; name: taken', [
      { field: 'quota', message: 'no' },
      { field: 'name', message: 'taken' },
    ]);
    expect(sortRefusal(error, { names })).toEqual({
      fields: { name: 'taken' },
      other: 'quota: no; name: taken',
    });
  });

  test('an error without fields shows above the buttons', () => {
    expect(sortRefusal(new Error('offline'), { names })).toEqual({ fields: {}, other: 'offline' });
    expect(sortRefusal(refusal('busy', []), { names })).toEqual({ fields: {}, other: 'busy' });
  });
});
