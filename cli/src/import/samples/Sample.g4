/** A small language. */
grammar Sample;

options { language = Java; }

// The program.
program : statement* EOF ;
statement
    : 'let' ID '=' expr ';'      # Let
    | 'print' expr (',' expr)* ';' # Print
    | block                      # Inner
    | {isAllowed()}? 'goto' name=ID ';' # Goto
    ;
block locals [int n] : '{' statement* '}' ;
expr : <assoc=right> expr '^' expr
     | expr op=('*' | '/') expr
     | expr ('+' | '-') expr { count++; }
     | '(' expr ')' | ID | NUMBER | STRING
     ;
ID : LETTER (LETTER | DIGIT)* ;
NUMBER : DIGIT+ ('.' DIGIT+)? ;
STRING : '"' (ESC | ~["\\\r\n])*? '"' ;
fragment ESC : '\\' [nt"\\] | '\\u' HEX HEX ;
fragment HEX : [0-9a-fA-F] ;
fragment LETTER : [a-z\p{Lu}_] ;
fragment DIGIT : '0'..'9' ;
COMMENT : '/*' .*? '*/' -> channel(HIDDEN) ;
LINE_COMMENT : '//' ~[\r\n]* -> skip ;
WS : [ \t\r\n]+ -> skip ;
