// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title A notebook that several people write in. Nothing in it can be changed; who wrote what, and when, stands beside it.
contract Notebook {
    /// `writtenAt` is in Unix seconds.
    struct Note {
        address author;
        uint64 writtenAt;
        string text;
    }

    Note[] private _notes;

    event Written(uint256 indexed number, address indexed author, string text);

    error NoSuchNote(uint256 number);

    /// @return number The note's, from 1 on.
    function write(string calldata text) external returns (uint256 number) {
        _notes.push(Note(msg.sender, uint64(block.timestamp), text));
        number = _notes.length;
        emit Written(number, msg.sender, text);
    }

    function note(uint256 number) external view returns (Note memory) {
        if (number == 0 || number > _notes.length) revert NoSuchNote(number);
        return _notes[number - 1];
    }

    function noteCount() external view returns (uint256) {
        return _notes.length;
    }
}
