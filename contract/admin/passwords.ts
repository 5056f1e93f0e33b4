// Rules for new passwords, the same on the server and in forms.
import type { ErrorCode } from '#contract/errors.ts';
import { PASSWORD_MAX_BYTES, PASSWORD_MIN_CHARACTERS } from './session.ts';

/** The most common passwords that pass the length rule. Compared without case. */
const COMMON = new Set(
  (
    '12345678 123456789 1234567890 0123456789 87654321 987654321 9876543210 11111111 00000000 88888888 66666666 ' +
    '99999999 12341234 11223344 12121212 123123123 147258369 741852963 1qaz2wsx 1q2w3e4r 1q2w3e4r5t qwer1234 ' +
    'qwertyui qwertyuiop asdfghjk asdfghjkl zxcvbnm1 zaq12wsx qazwsxedc qwerty123 qwerty12 password password1 ' +
    'password12 password123 passw0rd p@ssw0rd p@ssword passpass iloveyou iloveyou1 sunshine princess football ' +
    'baseball superman trustno1 welcome1 welcome123 letmein1 letmein123 admin123 admin1234 admin888 administrator ' +
    'rootroot root1234 root123456 toor1234 changeme changeme1 changeme123 default1 testtest test1234 abcd1234 ' +
    'abc12345 abc123456 a1234567 a12345678 a123456789 aa123456 aaaaaaaa aaaa1111 woaini1314 woaini520 5201314520 ' +
    '1314520520 qq123456 wang1234 zhang123 monkey123 dragon123 master123 shadow123 computer internet samsung1 ' +
    'whatever starwars michael1 jennifer liverpool chelsea1 arsenal1 charlie1 tollgate tollgate1 tollgate123'
  ).split(' '),
);

type PasswordProblem = Extract<ErrorCode, `password_too_${string}`>;

/** The error code of the first rule that a password breaks; null when it is acceptable. */
export function passwordProblem(password: string, username = ''): PasswordProblem | null {
  if (Array.from(password).length < PASSWORD_MIN_CHARACTERS) return 'password_too_short';
  if (new TextEncoder().encode(password).length > PASSWORD_MAX_BYTES) return 'password_too_long';
  const lower = password.toLowerCase();
  if (COMMON.has(lower) || (username !== '' && lower === username.toLowerCase()))
    return 'password_too_common';
  return null;
}
