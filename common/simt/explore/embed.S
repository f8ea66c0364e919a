/* The text of the page without the data, stored in the program. Each part ends with a 0 byte. The
 * assembler finds the paths through -I. */
    .section .rodata
    .globl explore_html, explore_style, explore_scripts
explore_html:
    .incbin "explore/page/explorer.html"
    .byte 0
explore_style:
    .incbin "explore/page/explorer.css"
    .byte 0
explore_scripts:
    .incbin "explore/page/rules.js"
    .incbin "explore/page/words.js"
    .incbin "explore/page/model.js"
    .incbin "explore/page/time.js"
    .incbin "explore/page/text.js"
    .incbin "explore/page/timeline.js"
    .incbin "explore/page/meanwhile.js"
    .incbin "explore/page/lanes.js"
    .incbin "explore/page/memory.js"
    .incbin "explore/page/counts.js"
    .incbin "explore/page/source.js"
    .incbin "explore/page/predict.js"
    .incbin "explore/page/pane.js"
    .incbin "explore/page/app.js"
    .byte 0
    .section .note.GNU-stack,"",%progbits
/* SPDX-License-Identifier: MIT */
