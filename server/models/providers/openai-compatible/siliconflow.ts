// SiliconFlow's images: two fields have other names.
import { withoutUndefined, listIn, textIn } from '#server/models/providers/shared/json.ts';
import { imageAnswer } from '#server/models/providers/shared/images.ts';
import type { TaskConversion } from '#server/models/providers/provider.ts';

export const siliconflowImages: TaskConversion = {
  encodeRequest({ size, n, ...rest }) {
    return withoutUndefined({ ...rest, image_size: size, batch_size: n });
  },
  decodeResponse: (answer) =>
    imageAnswer(listIn(answer, 'images').map((image) => ({ url: textIn(image, 'url') }))),
};
