// A scenario in an address: deflated, in the part that browsers do not send anywhere.
const squeeze = async (data: BlobPart, stream: GenericTransformStream) =>
  new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(stream)).arrayBuffer());

export async function linkOf(text: string): Promise<string> {
  const bytes = await squeeze(text, new CompressionStream('deflate-raw'));
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return `${location.href.split('#')[0]}#experiment=${letters}`;
}

/** The scenario of an address; none: it has none. Throws where it is damaged. */
export async function textOf(hash: string): Promise<string | undefined> {
  const letters = /^#experiment=(.*)$/.exec(hash)?.[1];
  if (letters === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(letters.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(await squeeze(bytes, new DecompressionStream('deflate-raw')));
  } catch {
    throw new Error('The scenario in this address is damaged: a part of the link is missing or changed.');
  }
}
