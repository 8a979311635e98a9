import asyncio

import pytest

from ultrawork.codeintel.lsp import protocol


def read(data):
    async def main():
        stream = asyncio.StreamReader()
        stream.feed_data(data)
        stream.feed_eof()
        return await protocol.read_message(stream)

    return asyncio.run(main())


def test_a_framed_message_is_read_back():
    assert read(protocol.frame_message({"id": 1, "method": "é"})) == {"id": 1, "method": "é"}


def test_what_a_server_prints_before_it_speaks_is_skipped():
    assert read(b"Starting up...\n\n" + protocol.frame_message({"id": 1})) == {"id": 1}


def test_the_end_of_the_stream_is_no_message():
    assert read(b"") is None


def test_a_message_of_absurd_length_is_refused_before_it_is_read():
    with pytest.raises(protocol.Garbled, match="99,999,999,999 bytes"):
        read(b"Content-Length: 99999999999\r\n\r\n")


def test_endless_output_that_is_no_protocol_is_refused():
    with pytest.raises(protocol.Garbled, match="no message"):
        read(b"hello\n" * 1000)


def test_a_message_that_is_no_object_is_refused():
    with pytest.raises(protocol.Garbled, match="not a JSON object"):
        read(b"Content-Length: 2\r\n\r\n[]")
